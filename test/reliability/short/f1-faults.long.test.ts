import { figure } from '../figures/f1-faults.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
