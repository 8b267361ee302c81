import type { VersionSummary } from '../ipc/types';

/** A version at its place in the tree. */
export interface TreeNode {
  version: VersionSummary;
  column: number;
  row: number;
  /** Steps from the root of its branch, from 1. */
  level: number;
  parent?: TreeNode;
  children: TreeNode[];
}

/** The versions of a turn, or one that was made by hand. */
export interface TreeColumn {
  key: string;
  first: VersionSummary;
}

export interface VersionTree {
  nodes: readonly TreeNode[];
  /** The nodes that came from no version. */
  roots: readonly TreeNode[];
  columns: readonly TreeColumn[];
  rows: number;
  byId: ReadonlyMap<string, TreeNode>;
}

/**
 * Lays the versions out: columns are turns in the order they were asked for, a version stands in the row of the
 * one it came from as long as nothing else stands there, and every branch gets a row of its own.
 */
export function treeOf(versions: readonly VersionSummary[]): VersionTree {
  const byId = new Map<string, TreeNode>();
  const columns: TreeColumn[] = [];
  const columnOf = new Map<string, number>();
  /** The last column that is taken in each row. */
  const taken: number[] = [];
  const nodes = versions.map((version) => {
    const key = version.turn ?? version.id;
    let column = columnOf.get(key);
    if (column === undefined) {
      column = columns.length;
      columns.push({ key, first: version });
      columnOf.set(key, column);
    }
    const parent = version.parent === undefined ? undefined : byId.get(version.parent);
    const row = freeRow(taken, column, parent);
    taken[row] = Math.max(taken[row] ?? -1, column);
    const node: TreeNode = { version, column, row, level: (parent?.level ?? 0) + 1, parent, children: [] };
    parent?.children.push(node);
    byId.set(version.id, node);
    return node;
  });
  return { nodes, roots: nodes.filter(({ parent }) => !parent), columns, rows: taken.length, byId };
}

function freeRow(taken: readonly number[], column: number, parent: TreeNode | undefined): number {
  if (parent && taken[parent.row] === parent.column && parent.column < column) return parent.row;
  // A line comes in from the parent: the row has to be free from there on.
  const from = parent?.column ?? -1;
  const free = taken.findIndex((last) => last <= from && last < column);
  return free < 0 ? taken.length : free;
}

/** The versions that lead to one, itself included. */
export function pathTo(tree: VersionTree, id: string | undefined): ReadonlySet<string> {
  const path = new Set<string>();
  let node = id === undefined ? undefined : tree.byId.get(id);
  while (node) {
    path.add(node.version.id);
    node = node.parent;
  }
  return path;
}

/** Where a key leads from a version; `undefined` for keys that lead nowhere. */
export function stepFrom(tree: VersionTree, id: string, key: string): TreeNode | undefined {
  const node = tree.byId.get(id);
  if (!node) return undefined;
  switch (key) {
    case 'ArrowLeft':
      return node.parent;
    case 'ArrowRight':
      return node.children.find((child) => child.row === node.row) ?? node.children[0];
    case 'ArrowUp':
    case 'ArrowDown': {
      const sign = key === 'ArrowUp' ? -1 : 1;
      const beyond = tree.nodes.filter((other) => (other.row - node.row) * sign > 0);
      // The nearest in the column, else the nearest row at all.
      const distance = (other: TreeNode) => Math.abs(other.column - node.column) * 1000 + Math.abs(other.row - node.row);
      return beyond.reduce<TreeNode | undefined>((best, other) => (!best || distance(other) < distance(best) ? other : best), undefined);
    }
    case 'Home':
      return tree.nodes[0];
    case 'End':
      return tree.nodes.at(-1);
    default:
      return undefined;
  }
}
