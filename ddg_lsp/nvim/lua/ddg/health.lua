-- `:checkhealth ddg`
local M = {}
local health = vim.health

local function program()
  local command = (vim.lsp.config['ddg_lsp'] or {}).cmd
  if type(command) ~= 'table' then
    health.info('The command of ddg_lsp is a function of your own.')
    return nil
  end
  if vim.fn.executable(command[1]) == 0 then
    health.error(('There is no program %s'):format(command[1]), {
      'Install it: `pipx install .` in a checkout of ddg-lsp',
      "Or say where it is: vim.lsp.config('ddg_lsp', { cmd = { '/path/to/ddg-lsp', 'serve', '--stdio' } })",
    })
    return nil
  end
  return vim.fn.exepath(command[1])
end

local function versions(path)
  local ok, done = pcall(function()
    return vim.system({ path, '--version' }, { text = true }):wait(20000)
  end)
  local theirs = ok and done.code == 0 and vim.trim(done.stdout):match('%S+$')
  local ours = require('ddg.server').version()
  if not theirs then
    health.error(path .. ' --version failed', { 'Install ddg-lsp anew, or run `ddg-lsp doctor` in a shell.' })
  elseif ours and ours ~= theirs then
    local advice = 'Put the output of `ddg-lsp nvim-path` into runtimepath, so that both are updated together.'
    health.warn(('The server is version %s, this plugin %s (%s)'):format(theirs, ours, path), { advice })
  else
    health.ok(('ddg-lsp %s: %s'):format(theirs, path))
  end
end

local function index(client)
  local reply = client:request_sync('workspace/executeCommand', {
    command = 'ddg.server.showStatus',
    arguments = { { silent = true } },
  }, 10000)
  if not reply or reply.err then
    return health.error('The server does not answer', { 'Look at :Ddg log.' })
  end
  local status = reply.result
  local said = ('%s: %s'):format(status.index.state, require('ddg.status').words(status.index))
  local report = ({ ok = health.ok, warning = health.warn, error = health.error })[status.health]
  report('Index ' .. said .. (status.message ~= '' and '. ' .. status.message or ''))
  if type(status.model) == 'table' then
    health.ok(('Model %s (%s). %s'):format(status.model.id, status.model.embedder, status.reason))
  else
    health.warn('No model: questions are answered by words alone. ' .. status.reason, { 'Run `ddg-lsp doctor`.' })
  end
  if status.index.skipped > 0 then
    health.info(('%d files or folders were left out; `:Ddg status` says which and why'):format(status.index.skipped))
  end
end

local function clients()
  local found = vim.lsp.get_clients({ name = 'ddg_lsp' })
  if #found == 0 then
    local enabled = vim.lsp.is_enabled and vim.lsp.is_enabled('ddg_lsp')
    local advice = enabled and 'Open a file of a project, or use :Ddg ask.' or "Call vim.lsp.enable('ddg_lsp')."
    return health.warn('No client runs', { advice })
  end
  for _, client in ipairs(found) do
    local buffers = vim.tbl_count(client.attached_buffers)
    health.ok(('Client %d, folder %s, %d buffers'):format(client.id, client.root_dir or 'none', buffers))
    local watched = vim.tbl_get(client, 'capabilities', 'workspace', 'didChangeWatchedFiles', 'dynamicRegistration')
    health.info(
      watched and 'Neovim watches files for the server'
        or 'Neovim does not watch files here: changes on disk are looked for before each question'
    )
    index(client)
  end
end

local function picker()
  local chosen = require('ddg.config').get().picker
  local needs = { telescope = 'telescope', ['fzf-lua'] = 'fzf-lua', snacks = 'snacks' }
  if not needs[chosen] or pcall(require, needs[chosen]) then
    health.ok('Picker: ' .. chosen)
  else
    local advice = "Use another: vim.g.ddg = { picker = 'builtin' }"
    health.error(('The picker %s is not installed'):format(chosen), { advice })
  end
end

function M.check()
  health.start('ddg-lsp')
  if vim.fn.has('nvim-0.11') == 0 then
    return health.error('Neovim 0.11 or newer is needed')
  end
  local path = program()
  if path then
    versions(path)
  end
  picker()
  clients()
end

return M
