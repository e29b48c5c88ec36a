import type { Saboteurs } from '../../task.ts';
import { adds, misquotes, says } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  said: {
    'adds a paying customer': adds('loic.lefevre@example.com'),
    'leaves out the free bundle': misquotes('malgorzata.madry@example.com', ''),
    'gives names without emails': says('Niamh Hargreaves, Hannah Delgado, Małgorzata Mądry, Maya Park, Íñigo Núñez'),
    'adds somebody of 2025': adds('freya.begum@example.net'),
  },
};
