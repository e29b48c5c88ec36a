import { figure } from '../figures/f4-own-429.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
