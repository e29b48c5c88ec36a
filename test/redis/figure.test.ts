import { testFigure } from '../reliability/figure-test.ts';
import { figure } from '../reliability/figures/f21-replicas.ts';

testFigure(figure);
