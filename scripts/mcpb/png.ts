import { crc32, deflateSync } from 'node:zlib';

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}

/** Red, green, blue and opacity, each from 0 to 255. */
export type Pixel = readonly [red: number, green: number, blue: number, opacity: number];

function header(size: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(size, 0);
  data.writeUInt32BE(size, 4);
  // 8 bits a channel, four channels; the rest is what every PNG has.
  data.set([8, 6, 0, 0, 0], 8);
  return data;
}

/** A square PNG. `pixelAt` is called with whole numbers from 0 to `size - 1`, from left to right and from the top down. */
export function squarePng(size: number, pixelAt: (x: number, y: number) => Pixel): Buffer {
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
