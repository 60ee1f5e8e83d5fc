import { type Environment, UsageError } from "./options.ts";

/** The variables that may hold a secret. For each, `…_FILE` names a file that holds it. */
export const SECRET_VARIABLES: readonly string[] = [
  "BOARDCAST_API_KEY",
  "BOARDCAST_KEY",
  "BOARDCAST_MAIL",
  "BOARDCAST_MAIL_PASSWORD",
  "BOARDCAST_MAIL_CLIENT_SECRET",
  "BOARDCAST_OIDC_CLIENT_SECRET",
  "BOARDCAST_STORAGE",
];

/** The end of the name of a variable that names a file. */
export const FILE_ENDING = "_FILE";

/**
 * Returns an environment that reads secrets from files, which is how containers get them. Throws a
 * {@linkcode UsageError} where a secret and its file are both given, or the file can't be read.
 */
export function withSecretFiles(environment: Environment): Environment {
  return (name) => {
    const value = environment(name);
    if (!SECRET_VARIABLES.includes(name)) return value;
    const fileName = name + FILE_ENDING;
    const path = environment(fileName);
    if (path === undefined) return value;
    if (value !== undefined) throw new UsageError(`${name} and ${fileName} exclude each other`);
    const secret = readSecret(fileName, path);
    if (secret === "") throw new UsageError(`${fileName} names an empty file`);
    return secret;
  };
}

function readSecret(name: string, path: string): string {
  try {
    // Editors end a file with a line break.
    return Deno.readTextFileSync(path).replace(/\r?\n$/, "");
  } catch (error) {
    throw new UsageError(`${name}: cannot read "${path}": ${(error as Error).message}`);
  }
}
