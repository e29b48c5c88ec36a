import { figure } from '../figures/f6-foreign.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
