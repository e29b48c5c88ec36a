import { figure } from '../figures/f2-bad-inputs.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
