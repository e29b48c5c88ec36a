import { testFigure } from './figure-test.ts';
import { figure } from './figures/f23-truth.ts';

testFigure(figure);
