import type { Saboteurs } from '../../task.ts';
import { adds, misquotes, says } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  said: {
    'adds somebody with free access': adds('Also: hannah.delgado@example.net'),
    'leaves out who bought a bundle': misquotes('jordan.sullivan@example.com', ''),
    'adds a buyer of the next day': adds('callum.fairclough@mail.example.com'),
    'gives names without emails': says(
      'Jordan Sullivan, Joaquín Ibáñez Ruiz, Ruth Hayes, Débora Magalhães, Loïc Lefèvre',
    ),
  },
};
