-- The client to ask: one that is there, else one that is started for the folder of the buffer.
local server = require('ddg.server')

local M = {}
M.name = 'ddg_lsp'
local WAIT_MS, LOOK_MS = 30000, 20

-- The client of this buffer, else that of its folder; nil for none.
function M.find(bufnr)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  local attached = vim.lsp.get_clients({ name = M.name, bufnr = bufnr })[1]
  if attached then
    return attached
  end
  local root = server.root_of(bufnr)
  for _, client in ipairs(vim.lsp.get_clients({ name = M.name })) do
    if not root or client.root_dir == root then
      return client
    end
  end
end

local function start(bufnr)
  local config = vim.deepcopy(vim.lsp.config[M.name] or {})
  local command = config.cmd
  if type(command) == 'table' and vim.fn.executable(command[1]) == 0 then
    return nil, ('ddg-lsp cannot be started: there is no program %s. See :checkhealth ddg.'):format(command[1])
  end
  config.root_dir = server.root_of(bufnr)
  if not config.root_dir then
    return nil, 'ddg-lsp has no folder to search: open a file of a project, or go to its folder with :cd.'
  end
  if vim.lsp.is_enabled and vim.lsp.is_enabled(M.name) then
    vim.lsp.enable(M.name) -- after a crash: open buffers are attached again, so that unsaved text is known
  end
  local id = vim.lsp.start(config, { bufnr = bufnr, attach = false, silent = true })
  return id, 'ddg-lsp could not be started. See :Ddg log.'
end

-- Calls `done(client)` as soon as there is one that can be asked, or `done(nil, why)`.
function M.get(bufnr, done)
  local known = M.find(bufnr)
  if known then
    return done(known)
  end
  local id, why = start(bufnr)
  if not id then
    return done(nil, why)
  end
  local give_up = vim.uv.now() + WAIT_MS
  local function look()
    local client = vim.lsp.get_client_by_id(id)
    if client and client.initialized then
      return done(client)
    end
    if not client or vim.uv.now() > give_up then
      return done(nil, 'ddg-lsp did not start. See :Ddg log.')
    end
    vim.defer_fn(look, LOOK_MS)
  end
  look()
end

-- Runs one of the server's commands: `done(error_message, result, client)`.
function M.execute(command, argument, done)
  M.get(vim.api.nvim_get_current_buf(), function(client, why)
    if not client then
      return done(why)
    end
    local params = { command = command, arguments = { argument } }
    client:request('workspace/executeCommand', params, function(err, result)
      done(err and err.message, result, client)
    end)
  end)
end

return M
