/* Packs files into one zip file in the browser, so that a certificate can be sent as its files. */

const LATIN = new TextEncoder();
const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit += 1) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});

/** The checksum of zip files (CRC-32). */
export function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ TABLE[(sum ^ byte) & 255];
  return (sum ^ 0xffffffff) >>> 0;
}

async function deflated(bytes) {
  if (typeof CompressionStream === "undefined") return null;
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A record of a zip file: numbers of two or four bytes, lowest byte first. */
function record(...fields) {
  const bytes = new Uint8Array(fields.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

/** A zip file of `files`, [[name, Blob]], as a Blob; compressed if the browser can. */
export async function zipped(files) {
  const parts = [];
  const list = [];
  let at = 0;
  for (const [name, file] of files) {
    const plain = new Uint8Array(await file.arrayBuffer());
    const packed = await deflated(plain);
    const data = packed && packed.length < plain.length ? packed : plain;
    const path = LATIN.encode(name);
    const about = [
      [2, 20], // version that is needed
      [2, 0x0800], // names are UTF-8
      [2, data === plain ? 0 : 8],
      [4, 0x00210000], // the first day of 1980, midnight
      [4, crc32(plain)],
      [4, data.length],
      [4, plain.length],
      [2, path.length],
      [2, 0],
    ];
    const head = record([4, 0x04034b50], ...about);
    parts.push(head, path, data);
    list.push(record([4, 0x02014b50], [2, 20], ...about, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]), path);
    at += head.length + path.length + data.length;
  }
  const listed = list.reduce((sum, bytes) => sum + bytes.length, 0);
  const count = files.length;
  const end = record([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, listed], [4, at], [2, 0]);
  return new Blob([...parts, ...list, end], { type: "application/zip" });
}
