import { figure } from '../figures/f7-writes.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
