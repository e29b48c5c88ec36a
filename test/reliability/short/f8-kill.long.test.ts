import { figure } from '../figures/f8-kill.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
