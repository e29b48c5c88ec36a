import { expect, test } from 'vitest';
import { catalog } from '../../tools/catalog.ts';
import { startAcademy } from '../support/connect.ts';
