const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;
const ROUNDS = 64;
const FRACTION = 2 ** 32;
const PRIMES = firstPrimes(ROUNDS);
// The fractions of the square and cube roots of the first primes (sections 4.2.2 and 5.3.3).
const INITIAL = Int32Array.from(PRIMES.slice(0, 8), (prime) => fractionOf(Math.sqrt(prime)));
const CONSTANTS = Int32Array.from(PRIMES, (prime) => fractionOf(Math.cbrt(prime)));
// Used up within one call.
const schedule = new Int32Array(ROUNDS);
const utf8 = new TextEncoder();

/**
 * Returns the SHA-256 (FIPS 180-4) of a text in UTF-8. Web Crypto gives a digest only later, and
 * `node:crypto` takes longer to load than all the rest of the service.
 */
export function sha256(text: string): Uint8Array {
  const blocks = pad(utf8.encode(text));
  const state = INITIAL.slice();
  for (let at = 0; at < blocks.byteLength; at += BLOCK_BYTES) {
    for (let i = 0; i < 16; i++) schedule[i] = blocks.getInt32(at + 4 * i);
    compress(state, schedule);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (let i = 0; i < 8; i++) digest.setInt32(4 * i, state[i]);
  return new Uint8Array(digest.buffer);
}

/** Adds a set bit, zeros and the length in bits, up to whole blocks (section 5.1.1). */
function pad(message: Uint8Array): DataView {
  const blocks = Math.ceil((message.length + 1 + LENGTH_BYTES) / BLOCK_BYTES);
  const padded = new Uint8Array(blocks * BLOCK_BYTES);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - LENGTH_BYTES, BigInt(message.length) * 8n);
  return view;
}

/** Works one block, the first 16 words of `w`, into the state (section 6.2.2). */
function compress(state: Int32Array, w: Int32Array): void {
  for (let t = 16; t < ROUNDS; t++) {
    const sigma0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ (w[t - 15] >>> 3);
    const sigma1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ (w[t - 2] >>> 10);
    w[t] = w[t - 16] + sigma0 + w[t - 7] + sigma1;
  }
  let [a, b, c, d] = [state[0], state[1], state[2], state[3]];
  let [e, f, g, h] = [state[4], state[5], state[6], state[7]];
  for (let t = 0; t < ROUNDS; t++) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const temporary1 = h + sum1 + (e & f ^ ~e & g) + CONSTANTS[t] + w[t];
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const temporary2 = sum0 + (a & b ^ a & c ^ b & c);
    h = g;
    g = f;
    f = e;
    e = d + temporary1 | 0;
    d = c;
    c = b;
    b = a;
    a = temporary1 + temporary2 | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

function rotate(word: number, bits: number): number {
  return word >>> bits | word << 32 - bits;
}

function fractionOf(root: number): number {
  return Math.floor(root % 1 * FRACTION);
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return primes;
}
