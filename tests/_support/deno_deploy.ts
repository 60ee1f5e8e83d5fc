// Runs docs/examples/deno_deploy.ts where Deno Deploy would: DATABASE is what its database is, and
// PROVIDER where the mail provider is. Prints what is scheduled, which it then runs.

const { openKv, cron } = Deno;
const { fetch } = globalThis;
const [database, provider] = Deno.args;

Object.defineProperties(Deno, {
  openKv: { value: () => openKv(database) },
  cron: {
    value(name: string, schedule: string, run: () => Promise<void>) {
      console.log(`cron ${name}: ${schedule}`);
      run();
      return cron(name, schedule, run);
    },
  },
});
Object.assign(globalThis, {
  fetch: (input: string, init: RequestInit) =>
    fetch(input.replace("https://api.resend.com", provider), init),
});
await import("../../docs/examples/deno_deploy.ts");
