import { openSync } from 'node:fs';
import { unwritableFile } from '../../support/unwritable.ts';
import { straight, type Way } from '../harness.ts';
import { deafWay } from '../places/deaf.ts';
import { type TlsMode, tlsWay } from '../places/tls.ts';
import { refusedWrites } from '../says.ts';
import { armFor, type Bench, during, isNamed, open, preload, type Setup, stall, toggle } from './setup.ts';

const ordinary: Setup = {
  takes: ({ name, fault }) =>
    name !== '401' && (fault !== undefined || name === 'refused' || name === 'event-loop stall 2 s'),
  lanes: 6,
  open: async (over) => {
    const harness = await open({ over, way: straight });
    const apply: Bench['apply'] = async (kind, operation) => {
      if (kind.name === 'refused') return { heal: await harness.faults.refuse() };
      return kind.fault === undefined ? during(harness, kind, operation, stall) : armFor(harness, kind, operation);
    };
    return { harness, apply };
  },
};

/** A refused key is not tried again for 30 s, which would affect other calls. */
const refusedKey: Setup = {
  takes: isNamed('401'),
  lanes: 2,
  calmMs: 30_500,
  open: async (over) => {
    const harness = await open({ over, way: straight });
    return { harness, apply: (kind, operation) => armFor(harness, kind, operation) };
  },
};

const noSuchName: Setup = {
  takes: isNamed('DNS fail'),
  lanes: 1,
  lasting: true,
  open: async (over) => {
    const way = async (): Promise<Way> => ({ url: 'https://academy.invalid', close: async () => {} });
    const harness = await open({ over, way, settings: { ACADEMY_RATE_LIMIT: '10000' } });
    return { harness, apply: () => ({ heal: () => {} }) };
  },
};

const slowNames: Setup = {
  takes: isNamed('DNS slow'),
  lanes: 1,
  open: async (over) => {
    const way = async ({ port }: { port: number }): Promise<Way> => ({
      url: `http://localhost:${port}`,
      close: async () => {},
    });
    const harness = await open({ over, way, nodeFlags: preload('slow-names.js') });
    const apply = async () => {
      await toggle(harness.program.pid);
      return { heal: () => toggle(harness.program.pid) };
    };
    return { harness, apply };
  },
};

const fullBacklog: Setup = {
  takes: isNamed('connect timeout'),
  lanes: 1,
  open: async (over) => {
    const harness = await open({ over, way: deafWay });
    return { harness, apply: async () => ({ heal: await harness.way.deafen() }) };
  },
};

const tlsModes: Record<string, TlsMode> = { 'TLS stall': 'stall', 'TLS reset': 'reset', 'bad cert': 'bad cert' };

const tls: Setup = {
  takes: isNamed(...Object.keys(tlsModes)),
  lanes: 1,
  open: async (over) => {
    const harness = await open({ over, way: tlsWay, settings: { ACADEMY_RATE_LIMIT: '10000' } });
    const apply: Bench['apply'] = ({ name }) => {
      harness.way.set(tlsModes[name] ?? 'good');
      return { heal: () => harness.way.set('good') };
    };
    return { harness, apply };
  },
};

const clock: Setup = {
  takes: isNamed('clock jump ±1 h'),
  lanes: 1,
  open: async (over) => {
    // A frozen queue would wait for an hour; this limit ends the wait after 10 s.
    const settings = { ACADEMY_MAX_WAIT_MS: '10000' };
    const harness = await open({ over, way: straight, nodeFlags: preload('clock-step.js'), settings });
    return { harness, apply: (kind, operation) => during(harness, kind, operation, toggle) };
  },
};

const fullDisk: Setup = {
  takes: isNamed('disk full for logs'),
  lanes: 1,
  open: async (over) => {
    const stderr = openSync('/dev/full', 'w');
    const harness = await open({ over, way: straight, stderr, settings: { LOG_LEVEL: 'debug' } });
    return { harness, apply: () => ({ heal: () => {} }) };
  },
};

/** A write that cannot be recorded is not sent. */
const fullAuditDisk: Setup = {
  takes: isNamed('disk full for logs'),
  lanes: 1,
  note: 'the audit log',
  says: refusedWrites('internal', 'api_unavailable'),
  open: async (over) => {
    const harness = await open({ over, way: straight, settings: { ACADEMY_AUDIT_LOG: unwritableFile } });
    return { harness, apply: () => ({ heal: () => {} }) };
  },
};

/** Every fault kind has at least one setup. */
export const setups: readonly Setup[] = [
  ordinary,
  refusedKey,
  noSuchName,
  slowNames,
  fullBacklog,
  tls,
  clock,
  fullDisk,
  fullAuditDisk,
];
