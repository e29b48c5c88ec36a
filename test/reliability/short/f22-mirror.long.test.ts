import { figure } from '../figures/f22-mirror.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
