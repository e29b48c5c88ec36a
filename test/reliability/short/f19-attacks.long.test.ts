import { figure } from '../figures/f19-attacks.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
