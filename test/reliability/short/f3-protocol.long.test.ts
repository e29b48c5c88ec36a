import { figure } from '../figures/f3-protocol.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
