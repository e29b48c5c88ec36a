import { figure } from '../figures/f25-journal.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
