// Runs docs/examples/deno_deploy.ts as Deno Deploy would. DATABASE is the URL of its database, and
// PROVIDER that of the mail provider. Prints the scheduled jobs, then runs them.

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
