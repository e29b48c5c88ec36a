import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { packExtension } from '@anthropic-ai/mcpb';
import packageJson from '../../package.json' with { type: 'json' };
import { describeTool } from '../../src/mcp/describe-tool.ts';
import { tools } from '../../tools/index.ts';
import { extensionEnvironment, extensionFields } from '../package/extension-fields.ts';
import { copyProgram } from '../package/npm-package.ts';
import { jsonText, project } from '../package/project.ts';

const size = 512;

type Color = readonly [red: number, green: number, blue: number];
/** The distance from a point to the edge of a shape, in pixels; negative inside. */
type Shape = (x: number, y: number) => number;

interface Layer {
  readonly shape: Shape;
  readonly color: (x: number, y: number) => Color;
}

function roundedBox(centerX: number, centerY: number, halfWidth: number, halfHeight: number, radius: number): Shape {
  return (x, y) => {
    const dx = Math.abs(x - centerX) - halfWidth + radius;
    const dy = Math.abs(y - centerY) - halfHeight + radius;
    return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
  };
}

/** A diamond with its corners on the axes through its center. */
function diamond(centerX: number, centerY: number, halfWidth: number, halfHeight: number): Shape {
  const scale = 1 / Math.hypot(1 / halfWidth, 1 / halfHeight);
  return (x, y) => (Math.abs(x - centerX) / halfWidth + Math.abs(y - centerY) / halfHeight - 1) * scale;
}

const white = (): Color => [255, 255, 255];
const amber = (): Color => [255, 200, 87];
const shade = (): Color => [214, 221, 255];

function indigo(_x: number, y: number): Color {
  const share = y / size;
  return [Math.round(99 - 30 * share), Math.round(102 - 50 * share), Math.round(241 - 35 * share)];
}

/** A graduation cap on a rounded square. Later layers cover earlier ones. */
const layers: readonly Layer[] = [
  { shape: roundedBox(256, 256, 256, 256, 112), color: indigo },
  { shape: roundedBox(256, 268, 108, 108, 44), color: shade },
  { shape: diamond(256, 212, 190, 96), color: white },
  { shape: roundedBox(402, 282, 7, 66, 7), color: amber },
  { shape: roundedBox(402, 358, 19, 26, 14), color: amber },
];

/** How much of a pixel lies inside: the edges are one pixel wide and smooth. */
function coverage(distance: number): number {
  return Math.min(Math.max(0.5 - distance, 0), 1);
}

function covered([red, green, blue, opacity]: Pixel, [r, g, b]: Color, share: number): Pixel {
  const mix = (from: number, to: number) => Math.round(from + (to - from) * share);
  // The first layer is drawn on nothing: its color must not fade to black at the edge.
  if (opacity === 0) return [r, g, b, Math.round(255 * share)];
  return [mix(red, r), mix(green, g), mix(blue, b), opacity];
}

/** The icon of the bundle, 512 pixels wide and high. */
function drawIcon(): Buffer {
  return squarePng(size, (column, row) => {
    const [x, y] = [column + 0.5, row + 0.5];
    return layers.reduce<Pixel>(
      (pixel, { shape, color }) => covered(pixel, color(x, y), coverage(shape(x, y))),
      [0, 0, 0, 0],
    );
  });
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}

/** Red, green, blue and opacity, each from 0 to 255. */
type Pixel = readonly [red: number, green: number, blue: number, opacity: number];

function header(size: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(size, 0);
  data.writeUInt32BE(size, 4);
  // 8 bits a channel, four channels; the rest is what every PNG has.
  data.set([8, 6, 0, 0, 0], 8);
  return data;
}

/** A square PNG. `pixelAt` is called with whole numbers from 0 to `size - 1`, from left to right and from the top down. */
function squarePng(size: number, pixelAt: (x: number, y: number) => Pixel): Buffer {
  const steps = [...Array(size).keys()];
  // The first byte of a row names its filter: none.
  const rows = steps.map((y) => Buffer.from([0, ...steps.flatMap((x) => pixelAt(x, y))]));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header(size)),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const { name, version, license, keywords, author, title, summary, repository } = project;
/** Files of `docs/images/`. */
export const screenshots = ['buyers-light-1000.png', 'sales-light-1000.png', 'outline-light-1000.png'];

const documents = `${repository.url}/blob/main`;

/** The first sentence: Claude Desktop shows one line for each tool. */
function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

/** `manifest.json` of the bundle, version 0.3 of the format. */
export const manifest = {
  manifest_version: '0.3',
  name,
  display_name: title,
  version,
  description: summary,
  long_description:
    'Connects Claude to an academy that has the Learning Platform Admin API v1. Fill in the address and the API key of an admin, or switch on "Try it with made-up data". Read-only is on at first: Claude then can change nothing.',
  author: { name: author },
  repository: { type: 'git', url: repository.url },
  homepage: repository.url,
  documentation: `${documents}/docs/install.md`,
  support: `${repository.url}/issues`,
  privacy_policies: [`${documents}/docs/privacy.md`],
  icon: 'icon.png',
  screenshots: screenshots.map((name) => `screenshots/${name}`),
  server: {
    type: 'node',
    entry_point: 'dist/extension.cjs',
    mcp_config: {
      command: 'node',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Desktop fills it in.
      args: ['${__dirname}/dist/extension.cjs'],
      env: extensionEnvironment,
    },
  },
  tools: tools.map(describeTool).map((tool) => ({ name: tool.name, description: firstSentence(tool.description) })),
  prompts_generated: true,
  keywords,
  license,
  compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: packageJson.engines.node } },
  user_config: extensionFields,
};

/** Without "type", Node would take the program for CommonJS. */
const packageOfBundle = { name: manifest.name, version: manifest.version, private: true, type: 'module' };

/**
 * Writes the content of the bundle into `folder`, which is emptied first, and packs it into `file`. `dist` is what
 * `npm run build` made. Throws if the official packer finds fault with it.
 */
export async function writeBundle(dist: string, folder: string, file: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await copyProgram(dist, folder);
  await cp('LICENSE', join(folder, 'LICENSE'));
  for (const name of screenshots) await cp(join('docs/images', name), join(folder, 'screenshots', name));
  await writeFile(join(folder, 'icon.png'), drawIcon());
  await writeFile(join(folder, 'package.json'), jsonText(packageOfBundle));
  await writeFile(join(folder, 'manifest.json'), jsonText(manifest));
  const isPacked = await packExtension({ extensionPath: folder, outputPath: file, silent: true });
  if (!isPacked) throw new Error('the bundle could not be packed: its manifest or its icon is invalid');
}
