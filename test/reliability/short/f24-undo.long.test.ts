import { figure } from '../figures/f24-undo.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
