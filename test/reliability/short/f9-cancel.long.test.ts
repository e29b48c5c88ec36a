import { figure } from '../figures/f9-cancel.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
