import { openPage } from '../shared/page.ts';

void openPage('outline', () => ({ onInput: () => {}, onResult: () => {}, onResize: () => {} }));
