import { figure } from '../figures/f12-soak.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
