import { figure } from '../figures/f14-canaries.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
