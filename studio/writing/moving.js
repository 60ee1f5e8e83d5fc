// Animated pictures.

/**
 * Tells by the start of a file whether a picture is animated, because redrawing would stop it: a
 * GIF, a PNG with `acTL` before its pixels, or a WebP with the animation flag.
 *
 * @param {Uint8Array} head
 */
export function isMoving(head) {
  const text = new TextDecoder("latin1").decode(head);
  if (text.startsWith("GIF8")) return true;
  if (text.startsWith("PNG", 1)) return text.split("IDAT", 1)[0].includes("acTL");
  return text.startsWith("RIFF") && text.startsWith("WEBPVP8X", 8) && (head[20] & 2) !== 0;
}
