import { figure } from '../figures/f10-load.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
