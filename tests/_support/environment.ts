/**
 * Removes the variables of the developer's own servers and databases. Tests import this module
 * first.
 */
const FOREIGN =
  /^(?:BOARDCAST_(?:STORAGE|HOST|PORT|BASE_PATH|RATE_LIMIT|CORS_ORIGINS|LOG|API_KEY)|PG[A-Z]+|FORCE_COLOR)$/;

for (const name of Object.keys(Deno.env.toObject())) {
  if (FOREIGN.test(name)) Deno.env.delete(name);
}
for (const name of ["NO_PROXY", "no_proxy"]) {
  Deno.env.set(name, "127.0.0.1,[::1],::1,localhost");
}

const NEEDED = ["HOME", "PATH", "DENO_DIR", "XDG_CACHE_HOME", "NPM_CONFIG_REGISTRY", "DENO_CERT"];

/** Returns the variables with which a process finds the same programs and packages as the tests. */
export function neededEnvironment(): Record<string, string> {
  const all = Deno.env.toObject();
  return Object.fromEntries(NEEDED.filter((name) => all[name]).map((name) => [name, all[name]]));
}
