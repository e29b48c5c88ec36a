import { figure } from '../figures/f20-mirror.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
