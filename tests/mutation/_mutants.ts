import ts from "typescript";

/** One way of breaking a source. */
export interface Mutant {
  /** The line that is broken, from 1. */
  readonly line: number;
  /** Where the text that is replaced starts and ends. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

const { SyntaxKind } = ts;
const SWAPPED: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [SyntaxKind.LessThanToken, "<="],
  [SyntaxKind.LessThanEqualsToken, "<"],
  [SyntaxKind.GreaterThanToken, ">="],
  [SyntaxKind.GreaterThanEqualsToken, ">"],
  [SyntaxKind.AmpersandAmpersandToken, "||"],
  [SyntaxKind.BarBarToken, "&&"],
  [SyntaxKind.QuestionQuestionToken, "&&"],
  [SyntaxKind.PlusToken, "-"],
  [SyntaxKind.MinusToken, "+"],
  [SyntaxKind.AsteriskToken, "/"],
  [SyntaxKind.SlashToken, "*"],
  [SyntaxKind.PercentToken, "*"],
  [SyntaxKind.CaretToken, "&"],
  [SyntaxKind.AmpersandToken, "|"],
  [SyntaxKind.BarToken, "&"],
  [SyntaxKind.GreaterThanGreaterThanGreaterThanToken, "<<"],
]);
const COMPARING: ReadonlySet<ts.SyntaxKind> = new Set([
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
  SyntaxKind.InKeyword,
]);

/** Returns what can be broken in a source: at most `perLine` mutants a line, the coarsest first. */
export function findMutants(source: string, perLine: number): readonly Mutant[] {
  const file = ts.createSourceFile("source.ts", source, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];

  function add(node: ts.Node, replacement: string): void {
    const start = node.getStart(file);
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    mutants.push({ line, start, end: node.getEnd(), replacement });
  }

  function visit(node: ts.Node): void {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) {
      return;
    }
    if (ts.isTypeAliasDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isExpressionStatement(node) || ts.isThrowStatement(node)) add(node, ";");
    if (ts.isReturnStatement(node) && !isUndefined(node.expression)) add(node, "return;");
    const condition = conditionOf(node);
    if (condition !== undefined) {
      add(condition, `!(${condition.getText(file)})`);
      if (ts.isBinaryExpression(condition)) add(condition, "true");
    }
    if (ts.isBinaryExpression(node)) {
      const swapped = SWAPPED.get(node.operatorToken.kind);
      if (swapped !== undefined) add(node.operatorToken, swapped);
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
      add(node, node.operand.getText(file));
    }
    if (ts.isNumericLiteral(node)) add(node, `(${node.getText(file)} + 1)`);
    if (ts.isRegularExpressionLiteral(node)) add(node, "/(?!)/");
    if (ts.isStringLiteral(node) && isCompared(node)) add(node, '"broken"');
    if (node.kind === SyntaxKind.TrueKeyword) add(node, "false");
    if (node.kind === SyntaxKind.FalseKeyword) add(node, "true");
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
      add(node.body, `void (${node.body.getText(file)})`);
    }
    ts.forEachChild(node, visit);
  }

  visit(file);
  return someOfEachLine(mutants, perLine);
}

function conditionOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression;
  if (ts.isConditionalExpression(node) || ts.isForStatement(node)) return node.condition;
  return undefined;
}

function isUndefined(expression: ts.Expression | undefined): boolean {
  return expression === undefined ||
    (ts.isIdentifier(expression) && expression.text === "undefined");
}

// Other strings are names, or texts for people, in which no word is held by a test.
function isCompared(node: ts.StringLiteral): boolean {
  return ts.isCaseClause(node.parent) ||
    (ts.isBinaryExpression(node.parent) && COMPARING.has(node.parent.operatorToken.kind));
}

function someOfEachLine(mutants: readonly Mutant[], perLine: number): readonly Mutant[] {
  const counts = new Map<number, number>();
  return mutants.toSorted((a, b) => a.start - b.start || b.end - a.end).filter(({ line }) => {
    const count = (counts.get(line) ?? 0) + 1;
    counts.set(line, count);
    return count <= perLine;
  });
}
