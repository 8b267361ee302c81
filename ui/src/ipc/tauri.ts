import { Channel, invoke } from '@tauri-apps/api/core';
import { listen, type UnlistenFn } from '@tauri-apps/api/event';
import type { Host, HostEars, PageHost } from './host';
import type { PageNews, RunEvent } from './types';

const RUN_EVENTS: RunEvent['type'][] = [
  'assistant',
  'thinking',
  'toolStart',
  'toolResult',
  'setCode',
  'runState',
  'taskState',
  'notice',
];

// WebView2 spells a custom scheme as a host; the other platforms keep the scheme.
const PREVIEW = navigator.userAgent.includes('Windows')
  ? 'http://preview.localhost'
  : 'preview://localhost';

const part = (text: string | number) => encodeURIComponent(text);
const parts = (path: string) => path.split('/').map(part).join('/');

/** The text and the addresses of pages, for whichever window shows them. */
const pages: Pick<Host, 'previewText' | 'streamAddress' | 'pageAddress' | 'versionAddress'> = {
  previewText: (runId, variantIndex, path) =>
    invoke('preview_text', { runId, variantIndex, path }),
  streamAddress: (runId, variantIndex) =>
    `${PREVIEW}/stream/${part(runId)}/${part(variantIndex)}/stream.html`,
  pageAddress: (runId, variantIndex, path, version, y) =>
    `${PREVIEW}/page/${part(runId)}/${part(variantIndex)}/${parts(path)}?v=${version}&y=${Math.round(y)}`,
  versionAddress: (versionId, path, version, y) =>
    `${PREVIEW}/version/${part(versionId)}/${parts(path)}?v=${version}&y=${Math.round(y)}`,
};

/** The host of the shipped program: commands and events of the shell. */
export function tauriHost(): Host {
  return {
    async listen(ears: HostEars) {
      const hear = <T>(name: string, heard: (payload: T) => void): Promise<UnlistenFn> =>
        listen<T>(name, (event) => heard(event.payload));
      const stops = await Promise.all([
        ...RUN_EVENTS.map((name) => hear<RunEvent>(name, (event) => ears.run(event))),
        hear('previewText', ears.previewText),
        hear('taskCard', ears.taskCard),
        hear('optionScored', ears.optionScored),
        hear('optionPictured', ears.optionPictured),
        hear('versionSeen', ears.versionSeen),
        hear('dragState', ears.dragState),
        hear('filesDropped', ears.filesDropped),
        hear('filesOpened', ears.filesOpened),
        hear('projectImported', ears.projectImported),
        hear('watchdog', ears.watchdog),
      ]);
      return () => stops.forEach((stop) => stop());
    },
    startView: () => invoke('start_view'),
    addFiles: (paths) => invoke('add_files', { paths }),
    chooseFiles: () => invoke('choose_files'),
    pastePicture: () => invoke('paste_picture'),
    addPicture: (name, base64) => invoke('add_picture', { name, base64 }),
    useSample: (id) => invoke('use_sample', { id }),
    likelyCost: (request) => invoke('likely_cost', { request }),
    startRun: (request) => invoke('start_run', { request }),
    cancelRun: (runId, variantIndex) => invoke('cancel_run', { runId, variantIndex }),
    runSnapshot: (runId) => invoke('run_snapshot', { runId }),
    listTasks: (projectId) => invoke('list_tasks', { projectId }),
    cancelTask: (projectId, taskId) => invoke('cancel_task', { projectId, taskId }),
    retryTask: (projectId, taskId) => invoke('retry_task', { projectId, taskId }),
    openProject: (id) => invoke('open_project', { id }),
    listProjects: () => invoke('list_projects'),
    deleteProject: (id) => invoke('delete_project', { id }),
    renameProject: (id, name) => invoke('rename_project', { id, name }),
    projectMemory: (id) => invoke('project_memory', { id }),
    clearMemory: (id) => invoke('clear_memory', { id }),
    duplicateProject: (id, name) => invoke('duplicate_project', { id, name }),
    exportProject: (id) => invoke('export_project', { id }),
    importProject: () => invoke('import_project'),
    exportRun: (runId, variantIndex) => invoke('export_run', { runId, variantIndex }),
    exportVersion: (projectId, versionId) => invoke('export_version', { projectId, versionId }),
    history: (projectId) => invoke('history', { projectId }),
    versionFiles: (projectId, versionId) => invoke('version_files', { projectId, versionId }),
    openVersion: (projectId, versionId) => invoke('open_version', { projectId, versionId }),
    restoreVersion: (projectId, versionId) => invoke('restore_version', { projectId, versionId }),
    undo: (projectId) => invoke('undo', { projectId }),
    redo: (projectId) => invoke('redo', { projectId }),
    compareVersions: (projectId, from, to) => invoke('compare_versions', { projectId, from, to }),
    nameVersion: (projectId, versionId, name) => invoke('name_version', { projectId, versionId, name }),
    describeElement: (projectId, versionId, path, pick) => invoke('describe_element', { projectId, versionId, path, pick }),
    changeElement: (change) => invoke('change_element', { change }),
    reveal: (path) => invoke('reveal', { path }),
    saveSettings: (settings) => invoke('save_settings', { settings }),
    storage: () => invoke('storage'),
    clearStorage: (kind) => invoke('clear_storage', { kind }),
    saveDraft: (text) => invoke('save_draft', { text }),
    modelSettings: (asking) => invoke('model_settings', { asking }),
    setKey: (provider, key) => invoke('set_key', { provider, key }),
    removeKey: (provider) => invoke('remove_key', { provider }),
    testProvider: (provider, model) => invoke('test_provider', { provider, model }),
    listModels: (provider) => invoke('list_models', { provider }),
    saveEndpoint: (endpoint) => invoke('save_endpoint', { endpoint }),
    removeEndpoint: (id) => invoke('remove_endpoint', { id }),
    chooseEngines: (engines) => invoke('choose_engines', { engines }),
    saveSpendCap: (capUsd) => invoke('save_spend_cap', { capUsd }),
    saveImageSettings: (isOn, model) => invoke('save_image_settings', { isOn, model }),
    gatherDiagnostics: (choice) => invoke('gather_diagnostics', { choice }),
    saveDiagnostics: () => invoke('save_diagnostics'),
    openPageWindow: (view) => invoke('open_page_window', { view }),
    showPage: (view) => invoke('show_page', { view }),
    ...pages,
    thumbnailAddress: (thumbnail) => `${PREVIEW}${thumbnail}`,
    assetAddress: (runId, variantIndex, asset) =>
      `${PREVIEW}/page/${part(runId)}/${part(variantIndex)}/${parts(asset)}`,
  };
}

/** The host of the window of the page. What it hears comes over a channel of its own. */
export function tauriPageHost(): PageHost {
  return {
    ...pages,
    follow: (hear) => {
      const ear = new Channel<PageNews>();
      ear.onmessage = hear;
      return invoke('follow_page', { ear });
    },
  };
}
