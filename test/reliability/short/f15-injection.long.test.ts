import { figure } from '../figures/f15-injection.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
