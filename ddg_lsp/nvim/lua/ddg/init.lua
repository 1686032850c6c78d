-- What a user's configuration calls. `:help ddg`
local M = {}

-- Options for all of the plugin; nothing needs this call. `:help ddg-options`
function M.setup(options)
  require('ddg.config').setup(options)
end

local PICKERS = {
  builtin = 'ddg.picker',
  telescope = 'ddg.adapters.telescope',
  ['fzf-lua'] = 'ddg.adapters.fzf_lua',
  snacks = 'ddg.adapters.snacks',
  select = 'ddg.adapters.select',
}

local function picker(name)
  local module = PICKERS[name]
  if not module then
    vim.notify(('ddg: there is no picker %q'):format(name), vim.log.levels.ERROR)
  end
  return module and require(module)
end

-- Opens the picker. `options`: `text` to begin with, `picker` instead of the chosen one.
function M.ask(options)
  options = options or {}
  local opened = picker(options.picker or require('ddg.config').get().picker)
  if opened then
    opened.open({ text = options.text or '', bufnr = vim.api.nvim_get_current_buf() })
  end
end

-- The last question of the built-in picker again.
function M.resume()
  require('ddg.picker').resume()
end

-- See `lua/ddg/search.lua`: `search(text, options, done)` returns a function that cancels.
function M.search(...)
  return require('ddg.search').search(...)
end

-- For a status line: what is under way or wrong, else empty.
function M.statusline()
  return require('ddg.status').line()
end

-- Asks, and puts the hits into the quickfix list.
function M.quickfix(text)
  M.search(text, {}, function(err, answer, client)
    if err then
      vim.notify('ddg: ' .. err, vim.log.levels.ERROR)
    elseif #answer.hits == 0 then
      vim.notify('ddg: nothing was found.')
    else
      require('ddg.hits').to_quickfix(answer, client)
    end
  end)
end

return M
