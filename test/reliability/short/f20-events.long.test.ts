import { figure } from '../figures/f20-events.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
