import { figure } from '../figures/f16-guards.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
