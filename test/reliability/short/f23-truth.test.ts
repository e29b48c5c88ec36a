import { figure } from '../figures/f23-truth.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
