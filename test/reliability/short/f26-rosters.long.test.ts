import { figure } from '../figures/f26-rosters.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
