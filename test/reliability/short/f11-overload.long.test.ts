import { figure } from '../figures/f11-overload.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
