import { figure } from '../figures/f5-use.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
