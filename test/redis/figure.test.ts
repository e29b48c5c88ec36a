import { figure } from '../reliability/figures/f20-replicas.ts';
import { testFigure } from '../reliability/short/figure-test.ts';

testFigure(figure);
