/**
 * The view "Last Answer": the hits of the last answer, for reading one after another.
 */

import * as vscode from "vscode";

import { fileLabel, open } from "../ask/navigate";
import type { Answer, Hit } from "../wire";
import { answerMessage, answerTree, neighbour, type Node } from "./model";

export const VIEW = "ddg.results";
const CONTEXT = "ddg.hasResults";

export class ResultsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view: vscode.TreeView<Node>;
  private tree: Node[] = [];
  private at: Node | undefined;
  private asked = "";

  constructor() {
    this.view = vscode.window.createTreeView(VIEW, { treeDataProvider: this, showCollapseAll: true });
  }

  /** The question of the answer that is kept. */
  get question(): string {
    return this.asked;
  }

  /** Keep an answer in place of the one before. `chosen` is where reading has begun. */
  set(answer: Answer, chosen: Hit | undefined): void {
    this.asked = answer.query;
    this.tree = answerTree(answer, (hit) => fileLabel(hit.uri, hit.path));
    this.at = this.tree.find((node) => node.hit === chosen);
    this.view.message = answerMessage(answer);
    this.changed();
    if (this.at && this.view.visible) {
      void this.view.reveal(this.at, { select: true, focus: false });
    }
  }

  clear(): void {
    this.tree = [];
    this.at = undefined;
    this.asked = "";
    this.view.message = "";
    this.changed();
  }

  async show(): Promise<void> {
    await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  /** Open a node's place; without a focus the tree can be walked with the arrow keys. */
  async open(node: Node, options: { toSide?: boolean; focus?: boolean } = {}): Promise<void> {
    this.at = node;
    try {
      await open({ uri: node.uri, range: node.range }, options);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      void vscode.window.showErrorMessage(`${node.hit.path} cannot be opened: ${why}`);
    }
  }

  /** Open the next heading of the answer, or the one before. */
  async step(by: 1 | -1): Promise<void> {
    const node = neighbour(this.tree, this.at, by);
    if (!node) {
      const end = by === 1 ? "last" : "first";
      const said = this.tree.length ? `This is the ${end} heading of the answer.` : "There is no answer yet.";
      vscode.window.setStatusBarMessage(said, 3000);
      return;
    }
    await this.open(node);
    if (this.view.visible) {
      await this.view.reveal(node, { select: true, focus: false, expand: true });
    }
  }

  getChildren(node?: Node): Node[] {
    return node ? node.children : this.tree;
  }

  getParent(node: Node): Node | undefined {
    return this.tree.find((one) => one.children.includes(node));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { None, Collapsed } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(node.label, node.children.length ? Collapsed : None);
    item.description = node.description;
    item.tooltip = node.tooltip;
    item.iconPath = new vscode.ThemeIcon(node.icon);
    item.contextValue = this.tree.includes(node) ? "hit" : "more";
    item.command = { command: "ddg.results.open", title: "Open", arguments: [node] };
    return item;
  }

  dispose(): void {
    this.view.dispose();
    this.changes.dispose();
  }

  private changed(): void {
    this.changes.fire();
    void vscode.commands.executeCommand("setContext", CONTEXT, this.tree.length > 0);
  }
}
