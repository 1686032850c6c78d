-- `:Ddg`: its subcommands and their completion.
local M = {}

local function region(from, to, kind)
  local ok, lines = pcall(vim.fn.getregion, from, to, { type = kind })
  return ok and table.concat(lines, ' ') or ''
end

-- The selection, else the lines of a range, else the word under the cursor.
local function selected(call)
  local mode = vim.fn.mode()
  if mode:find('^[vV\22]') then -- from a <Cmd> map
    local words = region(vim.fn.getpos('v'), vim.fn.getpos('.'), mode)
    vim.cmd('normal! ' .. vim.keycode('<Esc>'))
    return words
  elseif call.range == 0 then
    return vim.fn.expand('<cword>')
  end
  local from, to = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if from[2] == call.line1 and to[2] == call.line2 then
    return region(from, to, vim.fn.visualmode())
  end
  return table.concat(vim.api.nvim_buf_get_lines(0, call.line1 - 1, call.line2, false), ' ')
end

local function show(lines)
  vim.cmd('botright new')
  local buf = vim.api.nvim_get_current_buf()
  vim.bo[buf].buftype, vim.bo[buf].bufhidden, vim.bo[buf].swapfile = 'nofile', 'wipe', false
  pcall(vim.api.nvim_buf_set_name, buf, 'ddg://status')
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = 'ddg-status'
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, nowait = true })
  vim.api.nvim_win_set_height(0, math.min(#lines + 1, math.floor(vim.o.lines / 2)))
end

local function failed(err)
  if err then
    vim.notify('ddg: ' .. err, vim.log.levels.ERROR)
  end
  return err
end

local commands = {}

function commands.ask(words)
  require('ddg').ask({ text = words })
end

function commands.selection(_, call)
  require('ddg').ask({ text = selected(call) })
end

function commands.resume()
  require('ddg').resume()
end

function commands.quickfix(words)
  require('ddg').quickfix(words)
end

function commands.status()
  require('ddg.client').execute('ddg.server.showStatus', { silent = true }, function(err, status)
    if not failed(err) then
      show(require('ddg.status').page(status))
    end
  end)
end

function commands.reindex(_, call)
  require('ddg.client').execute('ddg.server.reindex', { rebuild = call.bang }, function(err, status)
    if not failed(err) then
      local what = call.bang and 'Every vector is made anew' or 'Looked for changes'
      vim.notify(('ddg: %s: %s.'):format(what, require('ddg.status').words(status.index)))
    end
  end)
end

function commands.log()
  vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.log.get_filename()))
  vim.bo.autoread = true
  vim.cmd('normal! G')
end

M.names = vim.tbl_keys(commands)
table.sort(M.names)

function M.run(call)
  local name = call.fargs[1] or 'ask'
  local command = commands[name]
  if not command then
    local known = table.concat(M.names, ', ')
    return vim.notify(('ddg: there is no :Ddg %s; there are %s.'):format(name, known), vim.log.levels.ERROR)
  end
  command(table.concat(call.fargs, ' ', 2), call)
end

function M.complete(lead, line)
  local before = line:match('Ddg!?%s+(.*)$') or ''
  if before:find('%s') then
    return {}
  end
  return vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, M.names)
end

return M
