import { seedAcademy } from './seed/academy.ts';
import { Academy, type AcademySettings } from './state/academy.ts';

/** Identical settings give an identical academy, byte for byte. */
export function createAcademy(settings: AcademySettings): Academy {
  return new Academy(settings, seedAcademy(settings));
}
