import Bell from '@lucide/svelte/icons/bell';
import Brain from '@lucide/svelte/icons/brain';
import Crop from '@lucide/svelte/icons/crop';
import Eraser from '@lucide/svelte/icons/eraser';
import Eye from '@lucide/svelte/icons/eye';
import FileCode from '@lucide/svelte/icons/file-code';
import FileText from '@lucide/svelte/icons/file-text';
import Gauge from '@lucide/svelte/icons/gauge';
import Image from '@lucide/svelte/icons/image';
import Layers from '@lucide/svelte/icons/layers';
import Scan from '@lucide/svelte/icons/scan';
import Search from '@lucide/svelte/icons/search';
import Wrench from '@lucide/svelte/icons/wrench';
import { isOfChecks, newestLine, type NoticeRow, type StepRow } from '../../state/activity';
import { stageWords } from '../../state/taskStages';
import { picturesOf } from './stepPictures';
import { say, sayFacts, sayLines, sayMessage, sayNumber, saySentences, type WordKey } from '../../state/words.svelte';

/** How a step is drawn: icon, verb and detail. */
export interface StepWords {
  icon: typeof Brain;
  verb: string;
  detail?: string;
}

const TOOLS: Record<string, { icon: typeof Brain; verb: WordKey }> = {
  list_files: { icon: Layers, verb: 'step.list' },
  search_files: { icon: Search, verb: 'step.search' },
  think: { icon: Brain, verb: 'step.thought' },
  retrieve_option: { icon: Layers, verb: 'step.option' },
  save_assets: { icon: Image, verb: 'step.assets' },
  extract_assets: { icon: Crop, verb: 'step.crops' },
  generate_images: { icon: Image, verb: 'step.images' },
  edit_image: { icon: Image, verb: 'step.editImage' },
  remove_background: { icon: Eraser, verb: 'step.matte' },
  screenshot_preview: { icon: Eye, verb: 'step.look' },
  check_page: { icon: Gauge, verb: 'step.check' },
};

type ToolRow = Extract<StepRow, { kind: 'tool' }>;

/** The words of a step; a tool that is not known here is told by its own name. */
export function stepWords(row: StepRow, isLive: boolean): StepWords {
  switch (row.kind) {
    case 'thought':
      return isLive
        ? { icon: Brain, verb: say('step.thinking'), detail: sayLines(newestLine(row.text)) }
        : { icon: Brain, verb: say('step.thought') };
    case 'notice':
      return noticeWords(row);
    case 'task': {
      const detail = row.total > 0 ? say('step.of', { n: row.done, all: row.total }) : undefined;
      return { icon: Scan, verb: sayLines(row.title), detail: row.notice ?? detail };
    }
    case 'tool':
      return withOutcome(toolWords(row), row);
  }
}

function noticeWords({ code, message, nextStep }: NoticeRow): StepWords {
  const detail = nextStep && sayMessage({ code: '', message: nextStep });
  if (!isOfChecks(code)) return { icon: Bell, verb: sayMessage({ code, message }), detail };
  const [first = ''] = message.split('\n');
  return { icon: Gauge, verb: sayMessage({ code, message: first }).replace(/[:：]\.?$/, ''), detail };
}

function toolWords(row: ToolRow): StepWords {
  const path = pathOf(row);
  const isOver = row.state !== 'running' && row.state !== 'writing';
  if (row.name === 'edit_file') {
    return { icon: FileCode, verb: say(isOver ? 'step.edited' : 'step.editing', { file: path ?? '' }) };
  }
  if (row.code || row.name === 'create_file' || row.name === 'append_file') {
    const lines = row.code?.lines ?? 0;
    return {
      icon: FileCode,
      verb: say(isOver ? 'step.wrote' : 'step.write', { file: path ?? '' }),
      detail: lines === 0 ? undefined : say(!isOver ? 'step.line' : lines === 1 ? 'step.lines.one' : 'step.lines', { n: sayNumber(lines) }),
    };
  }
  if (row.name === 'read_file') return { icon: FileText, verb: say('step.readFile', { file: path ?? '' }) };
  if (row.name === 'extract_assets' || row.name === 'save_assets') {
    const count = picturesOf(row).length;
    if (count > 0) return { icon: Crop, verb: say(count === 1 ? 'step.crop.one' : 'step.crop', { n: count }) };
  }
  const known = TOOLS[row.name];
  if (known) return { icon: known.icon, verb: say(known.verb) };
  const words = row.name.replaceAll('_', ' ').trim();
  return { icon: Wrench, verb: words.charAt(0).toUpperCase() + words.slice(1) };
}

function withOutcome(words: StepWords, row: ToolRow): StepWords {
  if (row.state === 'failed') return { ...words, detail: sayFacts([words.detail, say('step.failed')]) };
  if (row.state === 'stopped') return { ...words, detail: sayFacts([words.detail, say('step.stopped')]) };
  return words;
}

function pathOf(row: ToolRow): string | undefined {
  if (row.code) return row.code.path;
  const { input } = row;
  if (input !== null && typeof input === 'object') {
    const { path } = input as Record<string, unknown>;
    if (typeof path === 'string') return path;
  }
  return undefined;
}

const LONGEST_DETAIL = 4_000;

/** What an unfolded step shows in full. */
export function stepText(row: StepRow): string {
  switch (row.kind) {
    case 'thought':
      return sayLines(row.text);
    case 'notice':
      if (isOfChecks(row.code)) return sayLines(row.message);
      return saySentences([sayMessage(row), row.nextStep && sayMessage({ code: '', message: row.nextStep })]);
    case 'task':
      return sayFacts([sayLines(row.title), stageWords(row.stage), row.notice]);
    case 'tool':
      return [row.input, row.output]
        .filter((part) => part !== undefined && part !== null)
        .map((part) => (typeof part === 'string' ? part : JSON.stringify(part, undefined, 2)))
        .join('\n')
        .slice(0, LONGEST_DETAIL);
  }
}
