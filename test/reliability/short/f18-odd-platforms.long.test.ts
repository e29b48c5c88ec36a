import { figure } from '../figures/f18-odd-platforms.ts';
import { testFigure } from './figure-test.ts';

testFigure(figure);
