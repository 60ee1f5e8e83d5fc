/**
 * Keeps sockets open that send nothing, and opens another one for each that is closed. A process
 * of its own, as it needs its own limit of open files.
 *
 *     deno run --allow-net bench/_silent.ts PORT SOCKETS PER_SECOND
 */
const [port, sockets, perSecond] = Deno.args;
const TICKS_PER_SECOND = 50;
let held = 0;

setInterval(() => {
  for (let i = 0; i < Number(perSecond) / TICKS_PER_SECOND && held < Number(sockets); i++) hold();
}, 1_000 / TICKS_PER_SECOND);

async function hold(): Promise<void> {
  held++;
  try {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
    const chunk = new Uint8Array(512);
    while (await connection.read(chunk) !== null);
  } catch {
    // It was refused or reset; another one follows.
  }
  held--;
}
