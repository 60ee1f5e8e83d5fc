import { Refusal } from "./refusal.ts";

const SIZE = /^([1-9]\d{0,8})([KMG])$/;
const UNIT_BYTES: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

/** Accepts a size like `200M`, in KiB, MiB or GiB; returns bytes, or refuses with `invalid_value`. */
export function parseSize(text: string): number | Refusal {
  const [, number, unit] = SIZE.exec(text) ?? [];
  if (number !== undefined) return Number(number) * UNIT_BYTES[unit];
  return new Refusal(
    "invalid_value",
    "is not off, nor a size like 200M: a whole number and K, M or G",
  );
}
