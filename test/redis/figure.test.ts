import { figure } from '../reliability/figures/f21-replicas.ts';
import { testFigure } from '../reliability/short/figure-test.ts';

testFigure(figure);
