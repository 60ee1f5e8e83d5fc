import type { Schema } from "../../model/values/json_schema.ts";
import type { OpenApi } from "../../routes/operator/openapi/types.ts";
import { HELP_WIDTH, indent, wrap } from "../shell/layout.ts";
import type { CallField, CallOperation } from "./operations.ts";

/** Lists operations by their groups, each with its summary. */
export function operationList(
  groups: OpenApi["tags"],
  operations: readonly CallOperation[],
): string {
  const width = Math.max(...operations.map(({ operationId }) => operationId.length));
  const paragraphs = groups.flatMap(({ name }) => {
    const lines = operations.filter(({ tags }) => tags.includes(name))
      .map(({ operationId, summary }) => `  ${operationId.padEnd(width)}  ${summary}\n`);
    return lines.length === 0 ? [] : [`${name}\n${lines.join("")}`];
  });
  return paragraphs.join("\n");
}

/** Describes an operation and its fields. */
export function describeOperation(operation: CallOperation): string {
  const { operationId, summary, description, method, path, fields } = operation;
  const required = fields.filter((field) => field.required).map(({ name }) => ` ${name}=…`);
  const paragraphs = [
    wrap(`Usage: boardcast call ${operationId}${required.join("")} [FIELD=VALUE…] [OPTIONS]`),
    wrap(`${summary} (${method} ${path}).`),
    ...description.split(/\n\n+/).map((text) => wrap(text.replaceAll("\n", " "))),
    ...fields.length === 0 ? [] : [`Fields:\n${fields.map(describeField).join("\n")}`],
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

function describeField({ name, required, description, schema }: CallField): string {
  const facts = [typeOf(schema), ...limitsOf(schema), ...required ? ["required"] : []];
  return indent(wrap(`${name}  ${facts.join(", ")}`, HELP_WIDTH - 2), 2) +
    `\n${indent(wrap(description, HELP_WIDTH - 6), 6)}`;
}

function typeOf({ type = "string", format, enum: choices }: Schema): string {
  const types = [type].flat();
  if (types.includes("array")) return "words separated by spaces";
  if (choices !== undefined) return choices.join(" | ");
  if (types.includes("boolean")) return "true | false";
  if (types.includes("integer")) return "whole number";
  return {
    "date-time": "time",
    uri: "URL",
    email: "address",
    "idn-email": "address",
  }[format ?? ""] ??
    "text";
}

function limitsOf(schema: Schema): readonly string[] {
  const { minLength, maxLength, minimum, maximum, pattern, default: preset } = schema;
  return [
    ...range(minLength, maxLength).map((text) => `${text} characters`),
    ...range(minimum, maximum),
    ...pattern === undefined ? [] : [pattern],
    ...preset === undefined ? [] : [`default: ${[preset].flat().join(" ")}`],
  ];
}

function range(least: number | undefined, most: number | undefined): readonly string[] {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}`];
  if (most !== undefined) return [`at most ${most}`];
  return least === undefined || least < 2 ? [] : [`at least ${least}`];
}
