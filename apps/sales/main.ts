import { openPage } from '../shared/page.ts';

void openPage('sales', () => ({ onInput: () => {}, onResult: () => {}, onResize: () => {} }));
