import { figure } from '../figures/f13-clean-ends.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
